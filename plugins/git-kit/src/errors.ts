import { defineErrors } from "@gantry/plugin";

/** What reading a repository can refuse. A plugin whose routes let these through takes the definitions into its table. */
export const gitErrors = defineErrors({
  GIT_MISSING: {
    status: 503,
    title: "No git",
    detail: "There is no git on the PATH of the daemon; install it.",
  },
  GIT_OBJECTS_OUTSIDE: {
    status: 403,
    title: "Objects outside of the repository",
    detail:
      "The repository in {root} takes objects or branches from outside of itself, by {place}; what lies in other repositories is not read. {remedy}",
  },
  GIT_TIMEOUT: {
    status: 504,
    title: "Git took too long",
    detail: "git {command} took too long and was ended; ask for less.",
  },
});

/** The daemon's own, which is in its table: for a program beside git. */
export const programErrors = defineErrors({
  PROCESS_NOT_STARTED: {
    status: 502,
    title: "Program not started",
    detail: "The program {name} could not be started: {reason}.",
  },
});
