import type { Options } from "tsup";
import config from "./tsup.config.ts";

/** The kernel's other packages, which are not published. */
const BUNDLED = ["audit", "http", "store", "system", "whole-home"];

/** The build that is published: with types, into which those of the bundled packages are taken. */
export default {
  ...(config as Options),
  dts: {
    entry: "src/index.ts",
    compilerOptions: {
      // Types of a package that is found by its name would be left out.
      paths: Object.fromEntries(
        BUNDLED.map((name) => [`@gantry/${name}/*`, [`../${name}/src/*.ts`]]),
      ),
    },
  },
};
