import { defineCommand } from "citty";
import { renderUnicodeCompact } from "uqr";
import type { NewCode } from "@gantry/kernel/auth/pairing";
import { homeArgument, requireRunningDaemon } from "./running-daemon.ts";

/** Prints a new pairing link. Uses the control socket, so that it works however many wrong codes were tried. */
export const pair = defineCommand({
  meta: {
    name: "pair",
    description:
      "Print a link and a code that pair a browser with the running daemon",
  },
  args: {
    ...homeArgument,
    json: { type: "boolean", description: "Print JSON" },
  },
  async run({ args }) {
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
});
