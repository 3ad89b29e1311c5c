import { afterEach, describe, expect, test, vi } from "vitest";
import { ANSWER, doing, printing, startWithGh } from "../help/stand-in-gh.ts";

afterEach(() => vi.unstubAllEnvs());

const JOB = "https://github.com/ann/it/actions/runs/21/job/34";
const failed = (name: string, more: object = {}) => ({
  __typename: "CheckRun",
  ...{ name, workflowName: "CI" },
  ...{ status: "COMPLETED", conclusion: "FAILURE", detailsUrl: JOB },
  ...more,
});
const withChecks = (...statusCheckRollup: object[]) =>
  printing([{ ...ANSWER, statusCheckRollup }]);

interface Log {
  check: string;
  text: string;
  truncated: boolean;
}

/** The log of the failed check `build`, of which `gh` prints what a script does. */
async function readLog(log: string) {
  const list = withChecks(failed("build"));
  const { kernel, get, calls } = await startWithGh(doing({ list, log }));
  await using _ = kernel;
  const answer = await get<Log>("/log", { check: "build" });
  return { ...answer, call: (await calls()).at(-1) };
}

describe("the log of a failed check", () => {
  const START = "build\tRun tests\t";
  const TIME = "2026-03-01T10:00:00.1234567Z ";

  test("comes from gh, without what it puts before each line", async () => {
    const lines = [
      `${START}\ufeff${TIME}##[group]Run npm test`,
      `${START}${TIME}\u001b[31mnot ok\u001b[0m\t1 \u001b]8;;http://evil.example\u0007here\u001b]8;;\u0007`,
      `${START}${TIME}10 %\r50 %\r100 %\r`,
      `${START}${TIME}a\u0007b\u202ec`,
      `${START}without a time`,
    ];
    const { status, body, call } = await readLog(
      `cat <<'END'\n${lines.join("\n")}\nEND`,
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      check: "build",
      text: "##[group]Run npm test\nnot ok\t1 here\n100 %\nabc\nwithout a time",
      truncated: false,
    });
    expect(call).toMatch(
      /\[run\] \[view\] \[--job=34\] \[--log-failed\] \[--repo=github.com\/ann\/it\]$/,
    );
  });

  test("is its last 200 lines", { tags: "thorough" }, async () => {
    const { body } = await readLog(
      `i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "build\tRun\t${TIME}line $i"; done`,
    );
    const lines = body.text.split("\n");
    expect(lines).toHaveLength(200);
    expect([lines[0], lines.at(-1)]).toEqual(["line 4801", "line 5000"]);
    expect(body.truncated).toBe(true);
  });

  test.each([
    [
      "lines",
      `i=0; while [ $i -lt 150 ]; do i=$((i+1)); printf 'b\tr\t%01000d\\n' $i; done`,
      150,
    ],
    [
      "one line",
      `printf 'b\tr\t'; head -c 700000 /dev/zero | tr '\\0' x; echo 9`,
      9,
    ],
  ])("is at most 32 KiB of long %s", async (_, script, end) => {
    const { body } = await readLog(script);
    expect(body.text.length).toBeLessThanOrEqual(32 * 1024);
    expect(body.text.length).toBeGreaterThan(31 * 1024);
    expect(body.text.endsWith(String(end))).toBe(true);
    expect(body.truncated).toBe(true);
  });

  test(
    "is not there without a run that ended, its output, or a login",
    { tags: "thorough" },
    async () => {
      const reasons = [
        ["true", "printed"],
        [
          "echo 'job 1 is still in progress; logs will be available when it is complete' >&2; exit 1",
          "not ended yet",
        ],
        ["echo 'failed to get run log: log not found' >&2; exit 1", "deleted"],
        [
          "echo 'To get started, please run: gh auth login' >&2; exit 4",
          "gh auth login",
        ],
      ];
      const { kernel, get } = await startWithGh(
        doing({
          list: withChecks(
            ...reasons.map((_, at) =>
              failed(`job ${at}`, { detailsUrl: JOB.replace("34", `${at}`) }),
            ),
          ),
          log: `case "$3" in
${reasons.map(([script], at) => `--job=${at}) ${script};;`).join("\n")}
esac`,
        }),
      );
      await using _ = kernel;
      for (const [at, [, reason]] of reasons.entries()) {
        const { status, body } = await get("/log", { check: `job ${at}` });
        expect([status, body.code]).toEqual([404, "CHECK_LOG_NOT_FOUND"]);
        expect(body.detail).toContain(reason);
      }
    },
  );

  test(
    "does not tell what else went wrong with gh",
    { tags: "thorough" },
    async () => {
      const { status, body } = await readLog("echo /secret/path >&2; exit 1");
      expect([status, body.code]).toEqual([502, "TOOL_FAILED"]);
      expect(JSON.stringify(body)).not.toContain("secret");
    },
  );

  test("is that of a check of this pull request which failed, and gh is asked for no other", async () => {
    const { kernel, get, calls } = await startWithGh(
      withChecks(failed("build", { conclusion: "SUCCESS" })),
    );
    await using _ = kernel;
    for (const check of ["build", "--web", "34"]) {
      const { status, body } = await get("/log", { check });
      expect([status, body.code]).toEqual([404, "CHECK_LOG_NOT_FOUND"]);
    }
    expect(await calls()).toHaveLength(1);
    const bad = [{}, { check: "" }, { check: "x".repeat(3001) }, { job: "34" }];
    for (const query of bad)
      expect((await get("/log", query as Record<string, string>)).status).toBe(
        400,
      );
  });

  test(
    "is not there without a pull request",
    { tags: "thorough" },
    async () => {
      const { kernel, get } = await startWithGh(printing([]));
      await using _ = kernel;
      const { body } = await get("/log", { check: "build" });
      expect(body).toMatchObject({
        code: "CHECK_LOG_NOT_FOUND",
        detail: expect.stringContaining("no pull request") as string,
      });
    },
  );
});
