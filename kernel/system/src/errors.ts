import { defineErrors } from "@gantry/plugin";

/** Errors of programs, git and outbound requests. */
export const errors = defineErrors({
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
  OUTBOUND_REDIRECTS: {
    status: 502,
    title: "Too many redirects",
    detail: "The target answered with more than {limit} redirects.",
  },
  OUTBOUND_REFUSED: {
    status: 400,
    title: "Target refused",
    detail: "The daemon does not call this target: {reason}.",
  },
  OUTBOUND_TIMEOUT: {
    status: 504,
    title: "Target did not answer",
    detail: "The target did not answer within {seconds} s.",
  },
  OUTBOUND_TOO_LARGE: {
    status: 502,
    title: "Answer too large",
    detail: "The answer of the target has more than {limit} bytes.",
  },
  PROCESS_NOT_STARTED: {
    status: 502,
    title: "Program not started",
    detail: "The program {name} could not be started: {reason}.",
  },
});
