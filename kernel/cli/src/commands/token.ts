import { createCommand } from "../command-line/create-command.ts";
import { readToken } from "@gantry/system/home/install-token";
import { UserError } from "@gantry/system/user-error";
import { homeOf, requireRunningDaemon } from "./running-daemon.ts";

/** Prints the install token, or makes a new one. */
export const token = createCommand(
  "token",
  "Print the token with which your own scripts call the API",
  {
    rotate: {
      type: "boolean",
      description: "Replace it and end what was opened with it",
    },
  },
  async (args) => {
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
);
