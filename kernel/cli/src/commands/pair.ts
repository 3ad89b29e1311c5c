import { renderUnicodeCompact } from "uqr";
import { createCommand } from "../command-line/create-command.ts";
import type { NewCode } from "@gantry/kernel/auth/pairing";
import { requireRunningDaemon } from "./running-daemon.ts";

/** Prints a new pairing link. It goes over the control socket, so it works however many wrong codes were tried. */
export const pair = createCommand(
  "pair",
  "Print a link and a code that pair a browser with the running daemon",
  {
    json: { type: "boolean", description: "Print JSON" },
  },
  async (args) => {
    const daemon = await requireRunningDaemon(args.home);
    const { code, url, expiresAt } = await daemon.call<
      NewCode & { url: string }
    >("pair");
    if (args.json) return console.log(JSON.stringify({ code, url, expiresAt }));
    const until = new Date(expiresAt).toLocaleTimeString([], {
      hour: "2-digit",
      minute: "2-digit",
    });
    console.log(
      `\n${renderUnicodeCompact(url)}\n\n  Link: ${url}\n  Code: ${code}\n  Good until ${until}, once.\n`,
    );
  },
);
