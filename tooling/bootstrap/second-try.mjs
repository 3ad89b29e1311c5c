/** More files than these fail for a reason that is no accident of timing. */
const MAX_FILES = 6;

/**
 * Runs each file in which a test failed once more, alone on the machine: what passes then is unsteady. That is a fault of
 * the test, or worse of what it tests, and is named as such with what it said; but it tells nothing of the change that is
 * being tested. What fails again, did not run, or is no test, stays a failure.
 *
 * @param {import("./test-results.mjs").Failure[]} failures
 * @param {(taskId: string, files: string[]) => import("./test-results.mjs").Failure[]} runFiles Runs files of a task,
 *   and gives what failed of them.
 * @returns What stays, and what is unsteady.
 */
export function tryAgain(failures, runFiles) {
  const filesOf = new Map();
  for (const { taskId, file } of failures) {
    if (!file) continue;
    filesOf.set(taskId, (filesOf.get(taskId) ?? new Set()).add(file));
  }
  const count = [...filesOf.values()].reduce((sum, { size }) => sum + size, 0);
  if (count === 0 || count > MAX_FILES) return { failures, unsteady: [] };

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
  return {
    failures: [
      ...failures.filter(failsAgain),
      ...failedAgain.filter(
        ({ name }) => !failures.some((failure) => failure.name === name),
      ),
    ],
    unsteady: failures.filter((failure) => !failsAgain(failure)),
  };
}
