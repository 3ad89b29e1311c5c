export { measureDaemon } from "./measure-daemon.ts";
export type { ProcessIdentity, ProcessMember } from "./process-table.ts";
export { createProgramView } from "./program-view.ts";
export type {
  EndedProgram,
  MeasuredProgram,
  ProgramView,
  ProgramViewHost,
} from "./program-view.ts";
