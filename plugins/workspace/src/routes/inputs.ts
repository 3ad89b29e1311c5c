import * as z from "zod";
import { errors } from "../errors.ts";

/** What all operations have in common: a paired caller, and an agent in the path. */
export const agentRoute = {
  access: "session",
  params: { id: { prefix: "agt", missing: errors.AGENT_NOT_FOUND } },
} as const;

/** A path below the folder, as it is sent. Whether it is allowed is checked where it is opened. */
export const pathInput = z.string().max(8192);

/** Codes of every operation in the folder of an agent. */
export const AGENT_ERRORS = ["AGENT_NOT_FOUND", "AGENT_FOLDER_GONE"];

/** Codes of what can be wrong with a path. */
export const PATH_ERRORS = [
  "PATH_OUTSIDE",
  "PATH_INVALID",
  "PATH_NOT_FOUND",
  "PATH_PROTECTED",
  "FILE_UNREADABLE",
];

/** Codes of every operation on a file or a folder that a path names. */
export const FILE_ERRORS = [...AGENT_ERRORS, ...PATH_ERRORS];
