// Their package.json leads Node to CommonJS and bundlers to files that are not there; by these names both find the modules.
declare module "@xterm/headless/lib-headless/xterm-headless.mjs" {
  export * from "@xterm/headless";
}
declare module "@xterm/addon-serialize/lib/addon-serialize.mjs" {
  export * from "@xterm/addon-serialize";
}
