import { HomeReplaced, NoticeRaised } from "@gantry/plugin";
import { ModeChanged } from "./auth/mode.ts";
import { SessionCreated, SessionEnded } from "./auth/sessions.ts";
import { PluginChanged } from "./plugins/plugin-status.ts";
import { QuarantineChanged } from "@gantry/store/quarantine-copies";

/** Every event that the kernel itself emits. */
export const events = [
  HomeReplaced,
  ModeChanged,
  NoticeRaised,
  PluginChanged,
  QuarantineChanged,
  SessionCreated,
  SessionEnded,
] as const;
