import { expect, test } from "vitest";
import {
  pluginCode,
  putPlugin,
  startDaemon,
} from "@gantry/test-support/daemon";
import { temporaryFolder } from "@gantry/test-support/temporary";

test("a daemon whose log has no reader any more continues, and stops on request", async () => {
  const home = await temporaryFolder();
  const answer = `ctx.log.error("A line without a reader"); return { kind: "bytes", mediaType: "text/plain", body: "fine" };`;
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
});
