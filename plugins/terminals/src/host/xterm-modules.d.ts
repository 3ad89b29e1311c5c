// Its package.json leads Node to CommonJS and bundlers to a file that is not there; by this name both find the module.
declare module "@xterm/headless/lib-headless/xterm-headless.mjs" {
  export * from "@xterm/headless";
}
