import { afterEach, expect, test, vi } from "vitest";
import { providePullRequest } from "../../ui/shipping/usePullRequest.ts";
import { Refusal, startFakeDaemon } from "./support/fakeDaemon.ts";
import { mountPage } from "./support/kit.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

const ok = (number: number) => ({ status: "ok", pr: { number } });

/** A page of an agent whose pull request is `told`. */
function openPage(told: () => unknown) {
  const daemon = startFakeDaemon({ "GET /api/agents/agt_1/pr": told });
  const page = mountPage(() => providePullRequest("agt_1"));
  return {
    ...page.result,
    [Symbol.dispose]: () => page[Symbol.dispose](),
    asked: () => daemon.requests.map(({ path }) => path.split("/pr")[1]),
  };
}

test("a pull request is read once a part of the page shows it", async () => {
  using page = openPage(() => ok(7));
  expect(page.asked()).toEqual([]);
  page.read();
  await vi.waitFor(() => expect(page.pr.value?.number).toBe(7));
  page.read();
  expect(page.isReading.value).toBe(true);
  await vi.waitFor(() => expect(page.isReading.value).toBe(false));
  expect(page.asked()).toEqual(["", ""]);
});

test("after a push GitHub is asked, and what it says takes the place of what was known", async () => {
  let told: object = { status: "none" };
  using page = openPage(() => told);
  page.read();
  await vi.waitFor(() => expect(page.state.value?.status).toBe("none"));
  told = ok(8);
  await page.readFresh();
  expect(page.pr.value?.number).toBe(8);
  expect(page.isReading.value).toBe(false);
  expect(page.asked()).toEqual(["", "?fresh=true"]);
});

test("what cannot be asked is told with its reason, and what was known stays", async () => {
  let told: unknown = ok(7);
  using page = openPage(() => told);
  page.read();
  await vi.waitFor(() => expect(page.pr.value?.number).toBe(7));
  told = new Refusal(504, "TOOL_TIMEOUT");
  await page.readFresh();
  expect(page.error.value?.code).toBe("TOOL_TIMEOUT");
  expect(page.pr.value?.number).toBe(7);
  expect(page.isReading.value).toBe(false);
});
