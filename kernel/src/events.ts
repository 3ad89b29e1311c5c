import { NoticeRaised } from "@gantry/plugin";
import { SessionCreated, SessionEnded } from "./auth/sessions.ts";
import { PluginChanged } from "./plugins/plugin-host.ts";

/** Every event that the kernel itself emits. */
export const events = [
  NoticeRaised,
  PluginChanged,
  SessionCreated,
  SessionEnded,
] as const;
