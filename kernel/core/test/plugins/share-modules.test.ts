import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** Code as the build makes it of a plugin with zod as a peer dependency. */
const CODE = `
  const { zod: z } = globalThis[Symbol.for("gantry.shared@1")];
  const count = z.strictObject({ count: z.number() });
  export default {
    id: "counter", api: 1, summary: "Counts", mounts: ["/api/counter"],
    setup(ctx) {
      ctx.route({
        method: "POST", path: "/api/counter", summary: "Count", access: "session",
        body: count, returns: count, handle: ({ body }) => ({ count: body.count + 1 }),
      });
    },
  };`;

test("a plugin from anywhere finds the zod of the daemon", async () => {
  const plugins = await temporaryFolder();
  const folder = join(plugins, "counter");
  await mkdir(folder);
  const gantry = { api: 1, server: "./server.mjs" };
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "counter", type: "module", gantry }),
  );
  await writeFile(join(folder, "server.mjs"), CODE);
  await using kernel = await startTestKernel([], { pluginFolder: plugins });
  const count = (body: object) => kernel.api.post("/api/counter", body);
  expect(await count({ count: 1 })).toMatchObject({
    status: 200,
    body: { count: 2 },
  });
  expect(await count({ count: 1, more: 1 })).toMatchObject({ status: 400 });
});
