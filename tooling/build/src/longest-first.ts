import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Files that drive a browser or attack a daemon: short ones that import all the others and need most of the time. */
const SLOW_FILES = /\/(browser|attacks)\/[^/]+\.test\.ts$/;

/** Begins with the files that take longest, so that the workers end together. */
export class LongestFirst extends BaseSequencer {
  override async sort(
    files: TestSpecification[],
  ): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      SLOW_FILES.test(moduleId);
    return [
      ...sorted.filter(isLong),
      ...sorted.filter((file) => !isLong(file)),
    ];
  }
}
