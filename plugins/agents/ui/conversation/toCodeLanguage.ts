import type { CodeLanguage } from "../../src/shell/code-blocks.ts";

/** Languages by their name after a code fence. */
const names: Readonly<Record<string, CodeLanguage>> = {
  bash: "bash",
  shell: "bash",
  zsh: "bash",
  sh: "sh",
  python: "python",
  py: "python",
  python3: "python",
  javascript: "javascript",
  js: "javascript",
  mjs: "javascript",
  typescript: "typescript",
  ts: "typescript",
};

/** Returns the language in which a code block can be run; `undefined` if it cannot be. */
export function toCodeLanguage(name: string): CodeLanguage | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(names, key) ? names[key] : undefined;
}
