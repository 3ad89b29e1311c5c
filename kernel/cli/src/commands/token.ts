import { defineCommand } from "citty";
import { readToken } from "@gantry/system/home/install-token";
import { UserError } from "@gantry/system/user-error";
import {
  homeArgument,
  homeOf,
  requireRunningDaemon,
} from "./running-daemon.ts";

/** Prints the install token, or replaces it. */
export const token = defineCommand({
  meta: {
    name: "token",
    description: "Print the token with which your own scripts call the API",
  },
  args: {
    ...homeArgument,
    rotate: {
      type: "boolean",
      description: "Replace it and end what was opened with it",
    },
  },
  async run({ args }) {
    if (args.rotate) {
      const daemon = await requireRunningDaemon(args.home);
      return console.log(
        (await daemon.call<{ token: string }>("rotate-token")).token,
      );
    }
    const { token: file } = homeOf(args);
    const current = await readToken(file);
    if (current === undefined)
      throw new UserError(
        `There is no token at ${file} yet; start the daemon once.`,
      );
    console.log(current);
  },
});
