import { afterEach, describe, expect, test, vi } from "vitest";
import { ANSWER, printing, startWithGh } from "../help/stand-in-gh.ts";

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

interface State {
  pr: { checks: string; items: Record<string, unknown>[] };
}
/** The checks in the answer to what `gh` says. */
async function readItems(...said: object[]) {
  const { kernel, get } = await startWithGh(withChecks(...said));
  await using _ = kernel;
  return (await get<State>()).body.pr.items;
}

describe("the checks of a pull request", () => {
  test("are runs and statuses, those that failed first", async () => {
    const status = (context: string, state: string) => ({
      __typename: "StatusContext",
      ...{ context, state, targetUrl: `http://ci.example/${context}` },
    });
    const items = await readItems(
      failed("lint", { conclusion: "SKIPPED" }),
      failed("test", { conclusion: "SUCCESS" }),
      failed("docs", { status: "IN_PROGRESS", conclusion: "" }),
      failed("build"),
      status("deploy", "PENDING"),
      status("cover", "ERROR"),
      failed("hint", { conclusion: "NEUTRAL" }),
      failed("slow", { conclusion: "TIMED_OUT" }),
    );
    const seen = items.map(({ name, state, hasLog }) => [name, state, hasLog]);
    expect(seen).toEqual([
      ["build", "failed", true],
      ["cover", "failed", false],
      ["slow", "failed", true],
      ["docs", "pending", false],
      ["deploy", "pending", false],
      ["test", "passed", false],
      ["lint", "skipped", false],
      ["hint", "skipped", false],
    ]);
    expect(items[0]).toMatchObject({ workflowName: "CI", url: JOB });
    expect(items[1]).toMatchObject({
      workflowName: null,
      url: "http://ci.example/cover",
    });
  });

  test(
    "have a name each, with that of the workflow where it takes that",
    { tags: "thorough" },
    async () => {
      const items = await readItems(
        failed("build"),
        failed("build", { workflowName: "Nightly" }),
        failed("build"),
        failed("lint"),
        failed("", { workflowName: "" }),
      );
      expect(items.map(({ name }) => name)).toEqual([
        "CI / build",
        "Nightly / build",
        "CI / build (2)",
        "lint",
        "A check without a name",
      ]);
    },
  );

  test(
    "have a log and an address only where these lead to",
    { tags: "thorough" },
    async () => {
      const none = {
        "a program for a browser": "javascript:alert(1)",
        "no address": "up the road",
        "no end": `https://ci.example/${"a".repeat(3000)}`,
      };
      const noLog = {
        "another host": JOB.replace("github.com", "github.com.evil.example"),
        "another port": JOB.replace("github.com", "github.com:444"),
        "another repository": JOB.replace("ann/it", "eve/it"),
        "a longer name": JOB.replace("it/", "item/"),
        "a way out": JOB.replace("it/", "it/../../eve/it/"),
        "a user": JOB.replace("github", "github.com@github"),
        "no TLS": JOB.replace("https", "http"),
        "an option for a number": JOB.replace("34", "--web"),
        "a run without a job": JOB.replace("/job/34", ""),
      };
      const items = await readItems(
        ...Object.entries({ ...none, ...noLog }).map(([name, detailsUrl]) =>
          failed(name, { detailsUrl }),
        ),
        failed("all well", { detailsUrl: JOB.replace("ann/it", "Ann/It") }),
      );
      const named = (is: (item: Record<string, unknown>) => boolean) =>
        items.filter(is).map(({ name }) => name);
      expect(named(({ hasLog }) => hasLog === true)).toEqual(["all well"]);
      expect(named(({ url }) => url === null)).toEqual(Object.keys(none));
      expect(items).toHaveLength(13);
    },
  );

  test(
    "show what a name hides, and are at most 200",
    { tags: "thorough" },
    async () => {
      const many = Array.from({ length: 250 }, (_, at) =>
        failed(`job ${at}`, { conclusion: "SUCCESS" }),
      );
      const items = await readItems(
        ...many,
        failed("a\u202eb\u001b[31m\nc".padEnd(5000, "x")),
      );
      expect(items).toHaveLength(200);
      const [{ name = "" } = {}] = items as { name?: string }[];
      expect(name).toMatch(/^a⟨U\+202E⟩b⟨U\+001B⟩\[31m c/);
      expect(name.length).toBeLessThan(200);
    },
  );
});
