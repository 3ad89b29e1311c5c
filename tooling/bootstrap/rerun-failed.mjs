/** More files than these fail for a reason that is no accident of timing. */
const MAX_FILES = 6;
/** More unsteady tests than these, in more files than these, are a fault of something that all of them share. */
const MAX_UNSTEADY = 3;
const MAX_RERUNS = 2;

/** Code that doubles or loses something once in two runs has a bug, not a busy machine. */
const NEVER_FORGIVEN =
  /^kernel\/(store\/test|core\/test\/(auth|whole-home))\/|^plugins\/(git-kit|storage-unstorage)\/test\/|^e2e\/attacks\/|\/delivery-[^/]*$/;
const TIME_OUT =
  /timed out|Timeout \d+ms exceeded|did not happen|Matcher did not succeed in time/i;

/**
 * Runs each failed test again, up to two times, alone on the machine, and tells which of them pass then. These count as
 * passed, since what failed them was the machine; they are reported, so that they get fixed. Forgives nothing
 * - that is no test, or failed in more than six files,
 * - where an assertion failed in tests of what must never happen once, such as a second delivery,
 * - where more than three tests or files would have to be forgiven.
 *
 * @param {import("./test-results.mjs").Failure[]} failures
 * @param {(file: { taskId: string, file: string, tests?: string[] }) => import("./test-results.mjs").Results} rerun
 *   Runs tests of one file, all of them without `tests`.
 * @returns {{ failures: import("./test-results.mjs").Failure[], unsteady: import("./test-results.mjs").Failure[] }}
 *   The failures that count, with `passesAlone` where the rerun passed all the same, and the unsteady tests.
 */
export function rerunFailed(failures, rerun) {
  const candidates = failures.filter(({ file }) => file);
  if (countFiles(candidates) > MAX_FILES) return { failures, unsteady: [] };

  const passing = new Set();
  for (let attempt = 0; attempt < MAX_RERUNS; attempt += 1) {
    const left = candidates.filter((failure) => !passing.has(failure));
    for (const group of groupByFile(left))
      for (const failure of passingAgain(group, rerun)) passing.add(failure);
  }

  const unsteady = candidates.filter(
    (failure) => passing.has(failure) && mayBeForgiven(failure),
  );
  const areTooMany =
    unsteady.length > MAX_UNSTEADY || countFiles(unsteady) > MAX_UNSTEADY;
  const forgiven = new Set(areTooMany ? [] : unsteady);
  return {
    failures: failures
      .filter((failure) => !forgiven.has(failure))
      .map((failure) =>
        passing.has(failure) ? { ...failure, passesAlone: true } : failure,
      ),
    unsteady: [...forgiven],
  };
}

function mayBeForgiven({ path, reason = "" }) {
  return !NEVER_FORGIVEN.test(path) || TIME_OUT.test(reason);
}

/** Those failures of one file that do not happen again. */
function passingAgain(group, rerun) {
  const [{ taskId, file }] = group;
  // A file that did not load, or an error outside of its tests, takes the whole file.
  const isWhole = group.some(({ test }) => test === undefined);
  const tests = isWhole ? undefined : group.map(({ test }) => test);
  const again = rerun({ taskId, file, tests });
  const passed = new Set(
    again.passed.filter((one) => one.file === file).map(({ test }) => test),
  );
  const isClean = again.failures.length === 0 && passed.size > 0;
  // What failed without a test may have been anything, also the reason why a test passed.
  const isTrusted = again.failures.every(({ test }) => test !== undefined);
  return group.filter(({ test }) =>
    test === undefined ? isClean : isTrusted && passed.has(test),
  );
}

function groupByFile(failures) {
  return Map.groupBy(failures, toFileKey).values();
}

function countFiles(failures) {
  return new Set(failures.map(toFileKey)).size;
}

function toFileKey({ taskId, file }) {
  return `${taskId} ${file}`;
}
