/** More files than these fail for a reason that is no accident of timing. */
const MAX_FILES = 6;

/**
 * Runs each file in which a test failed once more, alone on the machine, and marks as unsteady what passes then: it
 * depends on chance somewhere, in the test or worse in what it tests. It stays a failure all the same. Marks nothing
 * where that cannot be decided: what is no test, or too much to be chance.
 *
 * @param {import("./test-results.mjs").Failure[]} failures
 * @param {(taskId: string, files: string[]) => import("./test-results.mjs").Failure[]} runFiles Runs files of a task,
 *   and gives what failed of them.
 * @returns {import("./test-results.mjs").Failure[]} The same failures, some with `isUnsteady`.
 */
export function markUnsteady(failures, runFiles) {
  const filesOf = new Map();
  for (const { taskId, file } of failures) {
    if (!file) continue;
    filesOf.set(taskId, (filesOf.get(taskId) ?? new Set()).add(file));
  }
  const count = [...filesOf.values()].reduce((sum, { size }) => sum + size, 0);
  if (count === 0 || count > MAX_FILES) return failures;

  const failedAgain = [...filesOf].flatMap(([taskId, files]) =>
    runFiles(taskId, [...files]),
  );
  const failsAgain = ({ taskId, file }) =>
    !file ||
    failedAgain.some(
      (again) =>
        // A failure without a file may be anything, such as a fault outside of all tests.
        !again.file || (again.taskId === taskId && again.file === file),
    );
  return failures.map((failure) =>
    failsAgain(failure) ? failure : { ...failure, isUnsteady: true },
  );
}
