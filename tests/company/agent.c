/* SPDX-License-Identifier: Apache-2.0 */
/* An agent's preload that is linked with libcuda itself, as HAMi's libvgpu is. */
int cuInit(unsigned flags);
extern void *cua_agent_keeps;
void *cua_agent_keeps = (void *)cuInit;
