import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Terminal {
  id: string;
  state: string;
  pid: number;
}

describe("terminals and the built daemon", () => {
  let stack: AsyncDisposableStack;
  let folder: string;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    folder = stack.use(await createTemporaryFolder("terminals")).path;
  });
  afterAll(() => stack.disposeAsync());

  test(
    "they outlive a daemon that is killed, and the next one has them",
    { tags: "thorough" },
    async () => {
      const home = join(folder, "home");
      const out = join(folder, "out");
      const begin = async () => {
        const daemon = await startDaemon(home);
        return { daemon, api: await createApiClient(daemon) };
      };
      const first = await begin();
      const opened = await first.api.call<Terminal>("POST", "/api/terminals", {
        kind: "cli",
        cwd: folder,
        command: `while read line; do echo "$$ $line" >> ${out}; done`,
      });
      expect(opened.status, JSON.stringify(opened.body)).toBe(200);
      const { id, pid } = opened.body;
      const say = (api: typeof first.api, text: string) =>
        api.call("POST", `/api/terminals/${id}/prompt`, { text });
      const said = (text: string) =>
        vi.waitFor(async () =>
          expect(await readFile(out, "utf8")).toContain(text),
        );
      expect(await say(first.api, "before")).toMatchObject({ status: 200 });
      await said(`${pid} before\n`);

      await first.daemon.kill();
      const second = await begin();
      stack.use(second.daemon);
      const after = await second.api.call<Terminal>(
        "GET",
        `/api/terminals/${id}`,
      );
      expect(after.body).toMatchObject({ state: "running", pid });
      await say(second.api, "after");
      await said(`${pid} after\n`);
      await second.api.call("DELETE", `/api/terminals/${id}`);
      expect(() => process.kill(pid, 0)).toThrow();
    },
  );
});
