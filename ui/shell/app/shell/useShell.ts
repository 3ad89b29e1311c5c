import { inject } from "vue";
import { shellKey, type Shell } from "./shell.ts";

/** The shell of this app, inside `setup`. */
export function useShell(): Shell {
  const shell = inject(shellKey);
  if (!shell) throw new Error("There is no shell outside the app.");
  return shell;
}
