import { NoticeRaised } from "@gantry/plugin";
import { ModeChanged } from "./auth/mode.ts";
import { SessionCreated, SessionEnded } from "./auth/sessions.ts";
import { PluginChanged } from "./plugins/plugin-status.ts";

/** Every event that the kernel itself emits. */
export const events = [
  ModeChanged,
  NoticeRaised,
  PluginChanged,
  SessionCreated,
  SessionEnded,
] as const;
