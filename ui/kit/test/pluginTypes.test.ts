import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a plugin's types are checked: what is right passes, each mistake in a template is named", () => {
  const project = join(import.meta.dirname, "fixtures/plugin-ui");
  const { stdout } = spawnSync(
    "vue-tsc",
    ["--noEmit", "--pretty", "false", "-p", project],
    { encoding: "utf8" },
  );
  const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
  expect(errors.map((line) => /([\w-]+\.\w+)\(\d+/.exec(line)?.[1])).toEqual(
    errors.map(() => "MistakenPage.vue"),
  );
  for (const mistake of ["huge", "UButon", "great", "giant"]) {
    expect(errors.filter((line) => line.includes(mistake))).toHaveLength(1);
  }
});
