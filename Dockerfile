# SPDX-License-Identifier: Apache-2.0
# The files for a container, whatever this machine runs:
#
#   docker build -o dist .                          into the folder dist
#   docker build -t cuarbiter .                     as an image, for COPY --from=cuarbiter
#   docker build -t cuarbiter-carrier --target carrier .
#                                                   as an image that can copy them, for Kubernetes
#
# podman build and buildah build take the same arguments.
ARG BASE=docker.io/library/debian:bookworm
ARG SMALL=docker.io/library/busybox:stable

FROM ${BASE} AS build
COPY scripts/deps /src/scripts/deps
RUN /src/scripts/deps build
# What is built, and not dist/, which the first command above fills.
COPY meson.build meson_options.txt /src/
COPY data /src/data
COPY docs /src/docs
COPY include /src/include
COPY probe /src/probe
COPY scripts /src/scripts
COPY shim /src/shim
RUN meson setup /build /src --buildtype=release -Dtests=false --prefix=/usr --libdir=lib \
    && meson compile -C /build \
    && meson install -C /build --no-rebuild --strip --destdir /stage

FROM ${SMALL} AS carrier
COPY --from=build /stage/usr/lib/cuarbiter/ /opt/cuarbiter/

FROM scratch AS files
COPY --from=build /stage/usr/lib/cuarbiter/ /
