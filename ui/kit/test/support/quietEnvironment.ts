import { Console } from "node:console";
import { Writable } from "node:stream";
import { builtinEnvironments, type EnvironmentReturn } from "vitest/runtime";

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * happy-dom, without what a browser tells its own console of each request that fails: the tests are full of those, and
 * look at what the page makes of them. The console of the tests and of the code under test stays as it is.
 */
export default {
  ...builtinEnvironments["happy-dom"],
  name: "quiet-happy-dom",
  async setup(
    global: typeof globalThis,
    options: Record<string, unknown>,
  ): Promise<EnvironmentReturn> {
    const { console } = global;
    // The window keeps the console that is there while it is made.
    global.console = new Console(nowhere) as typeof console;
    try {
      return await builtinEnvironments["happy-dom"].setup(global, options);
    } finally {
      global.console = console;
    }
  },
};
