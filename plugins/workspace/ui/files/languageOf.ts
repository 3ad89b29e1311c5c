import type { StreamParser } from "@codemirror/language";

type Loader = () => Promise<StreamParser<unknown>>;

const clike = () => import("@codemirror/legacy-modes/mode/clike");
const script = () => import("@codemirror/legacy-modes/mode/javascript");
const styles = () => import("@codemirror/legacy-modes/mode/css");
const markup = () => import("@codemirror/legacy-modes/mode/xml");
const shell: Loader = async () =>
  (await import("@codemirror/legacy-modes/mode/shell")).shell;
const yaml: Loader = async () =>
  (await import("@codemirror/legacy-modes/mode/yaml")).yaml;
const ruby: Loader = async () =>
  (await import("@codemirror/legacy-modes/mode/ruby")).ruby;
const html: Loader = async () => (await markup()).html;
const typescript: Loader = async () => (await script()).typescript;
const javascript: Loader = async () => (await script()).javascript;
const c: Loader = async () => (await clike()).c;
const cpp: Loader = async () => (await clike()).cpp;

/** Each is fetched when a file of it is opened. */
const byEnding: Readonly<Record<string, Loader>> = {
  bash: shell,
  c,
  cc: cpp,
  cpp,
  cjs: javascript,
  cs: async () => (await clike()).csharp,
  css: async () => (await styles()).css,
  diff: async () => (await import("@codemirror/legacy-modes/mode/diff")).diff,
  go: async () => (await import("@codemirror/legacy-modes/mode/go")).go,
  h: c,
  hpp: cpp,
  htm: html,
  html,
  java: async () => (await clike()).java,
  js: javascript,
  json: async () => (await script()).json,
  jsx: javascript,
  kt: async () => (await clike()).kotlin,
  less: async () => (await styles()).less,
  lua: async () => (await import("@codemirror/legacy-modes/mode/lua")).lua,
  mjs: javascript,
  mts: typescript,
  patch: async () => (await import("@codemirror/legacy-modes/mode/diff")).diff,
  py: async () => (await import("@codemirror/legacy-modes/mode/python")).python,
  rb: ruby,
  rs: async () => (await import("@codemirror/legacy-modes/mode/rust")).rust,
  scala: async () => (await clike()).scala,
  scss: async () => (await styles()).sCSS,
  sh: shell,
  sql: async () =>
    (await import("@codemirror/legacy-modes/mode/sql")).standardSQL,
  svg: async () => (await markup()).xml,
  swift: async () =>
    (await import("@codemirror/legacy-modes/mode/swift")).swift,
  toml: async () => (await import("@codemirror/legacy-modes/mode/toml")).toml,
  ts: typescript,
  tsx: typescript,
  vue: html,
  xml: async () => (await markup()).xml,
  yaml,
  yml: yaml,
  zsh: shell,
};

const byName: Readonly<Record<string, Loader>> = {
  dockerfile: async () =>
    (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile,
  gemfile: ruby,
};

/** The language of a file, by its name, `undefined` for plain text. */
export async function languageOf(
  path: string,
): Promise<StreamParser<unknown> | undefined> {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf(".") + 1);
  const load = Object.hasOwn(byName, name)
    ? byName[name]
    : Object.hasOwn(byEnding, ending)
      ? byEnding[ending]
      : undefined;
  return await load?.();
}
