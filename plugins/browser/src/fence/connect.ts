import type { PluginContext } from "@gantry/plugin";

/** `ctx.connect` of the kernel: resolves a name once, has its addresses judged and dials exactly these. */
export type Connect = PluginContext["connect"];
