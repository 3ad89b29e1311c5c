import { inject, provide, type InjectionKey } from "vue";

/** What can run blocks of code that are shown on a page. */
export interface CodeRunner {
  /** Whether it runs blocks of this language, as it is written behind the fence. */
  canRun(language: string): boolean;
  /** The user wants to run a block. */
  run(language: string, code: string): void;
}

const codeRunner: InjectionKey<CodeRunner> = Symbol("gantry:code-runner");

/** Gives every block of code below this component a button that runs it. */
export function provideCodeRunner(runner: CodeRunner): void {
  provide(codeRunner, runner);
}

/** What runs blocks of code here, if anything does. */
export function useCodeRunner(): CodeRunner | undefined {
  return inject(codeRunner, undefined);
}
