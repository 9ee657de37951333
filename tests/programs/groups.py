# SPDX-License-Identifier: Apache-2.0
"""What scripts/programs installs and runs: groups, each with packages of its own and some programs.

In arguments {python}, {probes}, {work}, {lib} and {drivers} stand for the group's interpreter, the folder
of small programs, the group's folder, the system's library folder and the real drivers' folders.
"""


class Program:
    """label: the row's name. argv: what is run. of: the package whose version the row shows.
    cuda: the CUDA major of its runtime; runtimes of 13 refuse every driver that is available.
    count: instructions of its start are counted; for what takes long, processor time is.
    diagnoses: it runs XLA, which says on a failure which driver it found loaded."""

    def __init__(self, label, argv, of=None, cuda=12, count=True, diagnoses=False):
        self.label, self.argv, self.of, self.cuda = label, argv, of, cuda
        self.count, self.diagnoses = count, diagnoses


def probe(label, *argv, **more):
    """A Python program; it ends by saying what cuInit answers in its process."""
    return Program(label, ["{python}", "{probes}/run.py", "{probes}/" + argv[0], *argv[1:]], **more)


class Group:
    """pip, apt: packages to install. build: shell lines, run in the group's folder. size: of the
    group's folder in GB, roughly. on_page: no small part of another group, for the tests."""

    def __init__(self, name, programs, pip=(), apt=(), build=(), size=0.5, on_page=True):
        self.name, self.programs, self.pip, self.apt = name, programs, pip, apt
        self.build, self.size, self.on_page = build, size, on_page


def wheels(major, suffix, names, check=False):
    parts = {"cudart": "cuda-runtime", "cublas": "cublas", "cudnn": "cudnn", "cufft": "cufft",
             "nccl": "nccl", "cupti": "cuda-cupti"}
    of = {n: "nvidia-" + parts[n] + (suffix if major < 13 or n in ("cudnn", "nccl") else "")
          for n in parts}
    return Group(("cudart-%d" if check else "wheels-%d") % major,
                 [probe("%s of %d" % (n, major), "wheel.py", n, of=of[n], cuda=major) for n in names],
                 pip=["wheel"] + [of[n] for n in names], size=0.1 if check else 4, on_page=not check)


ALL = ("cudart", "cublas", "cudnn", "cufft", "nccl", "cupti")
NVCC = "nvcc -O1 -o"

GROUPS = [
    wheels(11, "-cu11", ALL),
    wheels(12, "-cu12", ALL),
    wheels(13, "-cu13", ALL),
    *(wheels(m, "-cu%d" % m, ALL[:1], check=True) for m in (11, 12, 13)),
    Group("numba-12", [probe("numba-cuda", "numba_.py", of="numba-cuda"),
                       Program("numba -s", ["{python}", "-m", "numba", "-s"], of="numba", count=False)],
          pip=["numba-cuda[cu12]"], size=1),
    Group("numba-13", [probe("numba-cuda", "numba_.py", of="numba-cuda", cuda=13)],
          pip=["numba-cuda[cu13]"], size=1),
    Group("cupy-11", [probe("CuPy", "cupy_.py", of="cupy-cuda11x", cuda=11)], pip=["cupy-cuda11x"], size=1),
    Group("cupy-12", [probe("CuPy", "cupy_.py", of="cupy-cuda12x")], pip=["cupy-cuda12x[ctk]"], size=4),
    Group("cupy-13", [probe("CuPy", "cupy_.py", of="cupy-cuda13x", cuda=13)],
          pip=["cupy-cuda13x[ctk]"], size=4),
    Group("bindings-12", [probe("cuda-bindings, driver", "bindings.py", "driver", of="cuda-bindings"),
                          probe("cuda-bindings, runtime", "bindings.py", "runtime", of="cuda-bindings")],
          pip=["cuda-bindings<13"]),
    Group("bindings-13", [probe("cuda-bindings, driver", "bindings.py", "driver", of="cuda-bindings", cuda=13),
                          probe("cuda-bindings, runtime", "bindings.py", "runtime", of="cuda-bindings", cuda=13)],
          pip=["cuda-bindings>=13"]),
    # Built here, against a CUDA that the drivers have: 13's headers ask for functions that they lack.
    Group("pycuda", [probe("PyCUDA, linked with -lcuda", "pycuda_.py", of="pycuda")],
          pip=["numpy", "nvidia-cuda-runtime-cu12==12.2.140"],
          build=["ln -s venv/lib/*/site-packages/nvidia/cuda_runtime toolkit && mkdir links"
                 " && ln -s ../toolkit/lib/libcudart.so.12 links/libcudart.so"
                 " && ln -s {drivers}/535.261.03/libcuda.so.1 links/libcuda.so",
                 "printf 'CUDA_ROOT = \"%s/toolkit\"\\nCUDADRV_LIB_DIR = CUDART_LIB_DIR = [\"%s/links\"]\\n"
                 "CUDA_ENABLE_CURAND = CUDA_ENABLE_GL = False\\n' {work} {work} >.aksetup-defaults.py",
                 "HOME={work} TMPDIR={work} {python} -m pip install -q --no-cache-dir pycuda"]),
    Group("nvml", [Program("nvidia-smi", ["nvidia-smi"], of=None),
                   probe("pynvml", "nvml.py", of="nvidia-ml-py")], pip=["nvidia-ml-py"]),
    Group("nvcc", [Program("cudart inside", ["{work}/inside"], of="nvcc", cuda=13),
                   Program("cudart beside it", ["{work}/beside"], of="nvcc", cuda=13),
                   Program("with -lcuda", ["{work}/lcuda"], of="nvcc", cuda=13)],
          build=[NVCC + " inside {probes}/count.cu",
                 NVCC + " beside -cudart shared -Xlinker -rpath={work} {probes}/count.cu",
                 "cp -L /usr/local/cuda/lib64/libcudart.so.13 .",
                 NVCC + " lcuda -DWITH_LCUDA {probes}/count.cu -lcuda"]),
    Group("ffmpeg", [Program("ffmpeg, cuda device",
                             ["ffmpeg", "-hide_banner", "-loglevel", "verbose", "-init_hw_device", "cuda",
                              "-f", "lavfi", "-i", "color=size=64x64:duration=0.1", "-f", "null", "-"],
                             of="ffmpeg"),
                     Program("ffmpeg, h264_nvenc",
                             ["ffmpeg", "-hide_banner", "-loglevel", "verbose", "-f", "lavfi", "-i",
                              "color=size=256x256:duration=0.1", "-c:v", "h264_nvenc", "-f", "null", "-"],
                             of="ffmpeg"),
                     Program("ffmpeg, h264_cuvid",
                             ["ffmpeg", "-hide_banner", "-loglevel", "verbose", "-c:v", "h264_cuvid",
                              "-i", "{work}/short.mp4", "-f", "null", "-"],
                             of="ffmpeg")],
          apt=["ffmpeg"], size=1,
          build=["@layer ffmpeg -v error -f lavfi -i color=size=64x64:duration=0.2 -c:v libx264 -y short.mp4"]),
    Group("onnx", [probe("ONNX Runtime", "onnx_.py", of="onnxruntime-gpu", cuda=13)],
          pip=["onnxruntime-gpu[cuda,cudnn]", "onnx", "numpy"], size=6),
    *(Group("jax-%d" % major,
            [probe("JAX", "jax_.py", of="jax", cuda=major, count=False),
             probe("JAX, its own check left out", "jax_.py", "unchecked", of="jax", cuda=major, count=False,
                   diagnoses=True)],
            pip=["jax[cuda%d]" % major], size=7) for major in (12, 13)),
    Group("torch", [probe("PyTorch", "torch_.py", "init", of="torch", cuda=13, count=False)]
          + [probe("PyTorch, " + label, "torch_.py", what, of="torch", cuda=13, count=False)
             for what, label in (("fork", "multiprocessing by fork"), ("spawn", "by spawn"),
                                 ("forkserver", "by forkserver"), ("loader", "DataLoader"),
                                 ("collect", "collect_env"))]
          + [probe("Triton", "triton_.py", of="triton", cuda=13, count=False)],
          pip=["torch", "numpy"], size=10),
    Group("torch-2.0", [probe("PyTorch", "torch_.py", "init", of="torch", cuda=11, count=False)]
          + [probe("PyTorch, " + label, "torch_.py", what, of="torch", cuda=11, count=False)
             for what, label in (("fork", "multiprocessing by fork"), ("spawn", "by spawn"),
                                 ("forkserver", "by forkserver"), ("loader", "DataLoader"),
                                 ("collect", "collect_env"))]
          + [probe("Triton", "triton_.py", of="triton", cuda=11, count=False)],
          pip=["torch==2.0.1", "numpy<2", "setuptools<70"], size=9),
    Group("tensorflow", [probe("TensorFlow", "tensorflow_.py", of="tensorflow", count=False, diagnoses=True)],
          pip=["tensorflow[and-cuda]"], size=9),
    Group("ray", [probe("Ray", "ray_.py", of="ray", count=False)], pip=["ray"], size=1.5),
    Group("mpi", [Program("mpi4py, two ranks, Open MPI",
                          ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "{python}",
                           "{probes}/mpi.py"], of="mpi4py", count=False)],
          apt=["openmpi-bin", "libopenmpi-dev"], pip=["mpi4py"], size=1.5),
    Group("tools", [Program("gdb", ["gdb", "-q", "-batch", "-ex", "set debuginfod enabled off", "-ex", "run",
                                    "{work}/dlopen"], of="gdb", count=False),
                    Program("gdb, with -lcuda", ["gdb", "-q", "-batch", "-ex", "set debuginfod enabled off",
                                                 "-ex", "run", "{work}/linked"], of="gdb", count=False),
                    Program("valgrind", ["valgrind", "-q", "--error-exitcode=0", "{work}/dlopen"],
                            of="valgrind", count=False),
                    Program("valgrind, with -lcuda", ["valgrind", "-q", "{work}/linked"], of="valgrind",
                            count=False)],
          apt=["gdb", "valgrind"], build=["@small"]),
    # CUDA 12's wheel lacks its launcher of programs.
    Group("sanitizer",
          [Program("compute-sanitizer%s" % also, ["{work}/sanitizer/compute-sanitizer", "--require-cuda-init", "no", "{work}/" + kind],
                   of="nvidia-cuda-sanitizer-api", count=False)
           for also, kind in (("", "dlopen"), (", with -lcuda", "linked"))],
          pip=["nvidia-cuda-sanitizer-api"],
          build=["@small", "ln -s venv/lib/*/site-packages/nvidia/cu13/compute-sanitizer sanitizer"
                 " && chmod 755 sanitizer/*"]),
]


def beside(library, package, label):
    before = "LD_PRELOAD={lib}/%s${LD_PRELOAD:+:$LD_PRELOAD} exec \"$0\"" % library
    after = "LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}{lib}/%s exec \"$0\"" % library
    return [Program("%s %s, %s" % (label, where, kind), ["sh", "-c", script, "{work}/" + kind], of=package)
            for where, script in (("before", before), ("behind", after)) for kind in ("dlopen", "linked")]


GROUPS.append(Group(
    "beside",
    beside("libjemalloc.so.2", "libjemalloc2", "jemalloc")
    + beside("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4", "tcmalloc")
    + beside("libmimalloc.so.2", "libmimalloc2.0", "mimalloc")
    + [Program("libfaketime, " + kind, ["faketime", "2020-01-01 00:00:00", "{work}/" + kind], of="libfaketime",
               count=False) for kind in ("dlopen", "linked")]
    + [Program("heaptrack, " + kind, ["timeout", "20", "heaptrack", "-o", "{work}/heap", "{work}/" + kind], of="heaptrack",
               count=False) for kind in ("dlopen", "linked")],
    apt=["libjemalloc2", "libtcmalloc-minimal4", "libmimalloc2.0", "libfaketime", "faketime", "heaptrack"],
    build=["@small"]))
