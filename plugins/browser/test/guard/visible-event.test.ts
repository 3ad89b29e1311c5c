import { expect, test } from "vitest";
import { judgeFile } from "../../src/guard/judge-file.ts";
import { toVisibleEvent } from "../../src/guard/visible-event.ts";
import { findWrongEvents } from "./support/find-wrong-events.ts";
import { findWrongFiles } from "./support/find-wrong-files.ts";

test("each tier receives its events, and no cookies below full", () => {
  expect(findWrongEvents(toVisibleEvent)).toEqual([]);
});

test("a page gets only files whose real path is in the agent's folder", () => {
  expect(findWrongFiles(judgeFile)).toEqual([]);
});
