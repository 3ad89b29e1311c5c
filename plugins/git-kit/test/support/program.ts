import { fileURLToPath } from "node:url";

/** The program as that of a plugin: it is started from its source. */
export const PROGRAM: readonly string[] = [
  "--conditions=gantry-source",
  fileURLToPath(new URL("./reading-git.ts", import.meta.url)),
];
