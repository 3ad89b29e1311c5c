import type { HomeContent, StorePlace } from "./small-home.ts";

/** A home before something takes its place. */
export const OLD: HomeContent = {
  "auth:session:ses_1": '{"v":1,"data":{"id":"ses_1"}}',
  "kernel:collection:lists:task": '{"indexes":{"newest":"old"}}',
  "kernel:event:0000000000000007": '{"id":7}',
  "kernel:idempotency:x": "{}",
  "lists-more:a": '{"is":"old"}',
  "lists:task:a": '{"is":"old"}',
  "lists:task:b": '{"is":"old"}',
  "lists:task~newest:a": "{}",
  "data/lists/a.txt": "old",
  "data/lists/deep/b.txt": "old",
  "data/other/kept.txt": "kept",
  token: "old",
};

/** What is staged. */
export const STAGED: HomeContent = {
  "kernel:collection:lists:task": '{"indexes":{"newest":"new"}}',
  "kernel:event:0000000000000003": '{"id":3}',
  "lists:task:a": '{"is":"new"}',
  "lists:task:c": '{"is":"new"}',
  "lists:task~newest:c": "{}",
  "data/lists/a.txt": "new",
  "data/lists/c.txt": "new",
  "data/added/d.txt": "new",
  token: "new",
  "config.json": "{}",
};

const KEPT: HomeContent = {
  "kernel:idempotency:x": "{}",
  "data/other/kept.txt": "kept",
};

/** The home after all that is staged took its place. */
export const REPLACED: HomeContent = { ...STAGED, ...KEPT };

/** The home after the records and files of a plugin were merged into it. */
export const MERGED: HomeContent = {
  ...OLD,
  // Fits no index, so that all are rebuilt.
  "kernel:collection:lists:task": '{"indexes":{"newest":""}}',
  "lists:task:a": '{"is":"new"}',
  "lists:task:c": '{"is":"new"}',
  "data/lists/a.txt": "new",
  "data/lists/c.txt": "new",
  "data/added/d.txt": "new",
};

/** The part of what is staged that can be merged. */
export const toMerge = (content: HomeContent): HomeContent =>
  Object.fromEntries(
    Object.entries(content).filter(
      ([name]) => name.startsWith("lists:") || name.startsWith("data/"),
    ),
  );

/** A way in which a home is replaced. */
export interface Scenario {
  place: StorePlace;
  mode: "replace" | "merge";
  /** Whether something is in the way, so that it has to go back. */
  fails: boolean;
}

/** All of them. */
export const SCENARIOS: Scenario[] = (
  ["in the home", "outside"] as const
).flatMap((place) => [
  { place, mode: "replace", fails: false },
  { place, mode: "replace", fails: true },
  { place, mode: "merge", fails: false },
  { place, mode: "merge", fails: true },
]);

/** The home after it. */
export function expectedOf(scenario: Scenario): HomeContent {
  const { place, mode, fails } = scenario;
  if (fails) return OLD;
  if (mode === "merge") return MERGED;
  const replaced: Record<string, string> = { ...REPLACED };
  if (place === "outside")
    replaced["config.json"] =
      `${JSON.stringify({ storage: { driver: "outside" } }, null, 2)}\n`;
  return replaced;
}
