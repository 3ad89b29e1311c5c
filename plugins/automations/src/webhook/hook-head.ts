import type { RequestHead } from "@gantry/plugin";

/** The part of a webhook call that is known before its body is read. */
export type HookHead = RequestHead<{ readonly id: string }>;
