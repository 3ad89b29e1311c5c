import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowserStage } from "@gantry/plugin-testing/browser";

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

/** A kernel with the built shell and the built plugin, a user with a short prompt, and a browser. */
export async function startStage() {
  const folder = await mkdtemp(join(tmpdir(), "gantry-terminals-user-"));
  await writeFile(
    join(folder, ".bashrc"),
    "PS1='\\[\\e[32m\\]ada@shop\\[\\e[0m\\] \\[\\e[34m\\]~/code\\[\\e[0m\\] $ '\nunset HISTFILE\n",
  );
  const { HOME, SHELL } = process.env;
  Object.assign(process.env, { HOME: folder, SHELL: "/bin/bash" });
  const stage = await startBrowserStage([], {
    package: packageFolder,
    reader: { permissions: ["clipboard-read", "clipboard-write"] },
    screens: { phone: { hasTouch: true } },
  });
  const { api } = stage.kernel;

  return {
    ...stage,
    folder,
    async openTerminal(body: object = {}): Promise<string> {
      const answer = await api.post<{ id: string }>("/api/terminals", {
        cwd: folder,
        ...body,
      });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.id;
    },
    async [Symbol.asyncDispose]() {
      const { items } = (
        await api.get<{ items: { id: string }[] }>("/api/terminals")
      ).body;
      for (const { id } of items) await api.delete(`/api/terminals/${id}`);
      await stage[Symbol.asyncDispose]();
      Object.assign(process.env, { HOME, SHELL });
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export type Stage = Awaited<ReturnType<typeof startStage>>;
