import { expect, test } from "vitest";
import {
  pluginCode,
  putPlugin,
  startDaemon,
} from "../../../core/test/support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";

test(
  "a daemon whose log is no longer read continues, and stops on a signal",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    const answer = `ctx.log.error("Read by no reader"); return { kind: "bytes", mediaType: "text/plain", body: "fine" };`;
    await putPlugin(
      home,
      "talks",
      pluginCode(
        "talks",
        `ctx.route({ method: "GET", path: "/api/talks", summary: "x", access: "session", returns: "bytes", handle: () => { ${answer} } });`,
      ),
    );
    const daemon = await startDaemon(home);
    daemon.turnAway();
    for (let count = 0; count < 3; count++)
      expect(await (await daemon.call("/api/talks")).text()).toBe("fine");
    daemon.kill();
    expect((await daemon.ended).code).toBe(0);
  },
);
