import * as z from "zod";
import { AGENT_ERRORS } from "./inputs.ts";

/** A commit, as it is sent. */
export const revision = z.string().min(1).max(2048);

/** A number that git does not always tell. */
export const count = z.number().nullable();

/** A patch, cut off if it is too long. */
export const patch = { patch: z.string(), truncated: z.boolean() };

/** An answer about a repository, or that there is none. */
export const orNone = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.union([
    z.object({ git: z.literal(true), ...shape }),
    z.object({ git: z.literal(false) }),
  ]);

/** Codes of every operation on the repository of an agent. */
export const REPOSITORY_ERRORS = [
  ...AGENT_ERRORS,
  "GIT_FAILED",
  "GIT_MISSING",
  "GIT_OBJECTS_OUTSIDE",
  "GIT_TIMEOUT",
  "PROCESS_NOT_STARTED",
];

/** Codes of every operation on a commit. */
export const REVISION_ERRORS = [
  ...REPOSITORY_ERRORS,
  "REVISION_INVALID",
  "REVISION_NOT_FOUND",
];
