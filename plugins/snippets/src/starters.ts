import type { SnippetStarter } from "./contract.ts";
import { toPlaceholders } from "./library/to-placeholders.ts";
import type { PlaceholderInput } from "./library/snippet-input.ts";

interface StarterText {
  slug: string;
  title: string;
  description: string;
  tags: string[];
  body: string;
  placeholders?: PlaceholderInput[];
}

const texts: readonly StarterText[] = [
  {
    slug: "review-pull-request",
    title: "Review a pull request",
    description: "Reads the changes of a branch and says what to fix first.",
    tags: ["review", "git"],
    body: `Review the changes on the branch {{branch}} of {{workspace}} against {{base=main}}.

Read the whole diff and as much of the code around it as you need. Look for {{focus=correctness}} above all, then for what is missing: tests, error handling, documentation.

Answer with:
1. What the change does, in two sentences.
2. Problems, the gravest first, each with file and line, why it is one, and what to do instead.
3. Questions to the author.

Say so if you find nothing. Change no file.`,
    placeholders: [
      {
        name: "focus",
        enum: ["correctness", "security", "performance", "readability"],
      },
    ],
  },
  {
    slug: "explain-error",
    title: "Explain an error",
    description: "Finds the cause of an error message and the smallest fix.",
    tags: ["debugging"],
    body: `Explain this error in {{workspace}}:

{{error}}

It came when I did this: {{steps=}}

Find where it comes from in the code under {{cwd}}. Tell me the cause in plain words, how sure you are of it, and the smallest change that would fix it. Change nothing before I agree.`,
  },
  {
    slug: "write-commit-message",
    title: "Write a commit message",
    description: "Puts what is staged into words, and commits nothing.",
    tags: ["git", "writing"],
    body: `Write a commit message for what is staged in {{workspace}}. If nothing is staged, use all changes of the working tree.

Style: {{style=plain}}. First a line of at most 72 characters that says what the change does for those who use it; then, if it needs one, a paragraph that says why. Name no files that the diff already names.

Anything to mention: {{mention=}}

Answer with the message alone. Do not commit.`,
    placeholders: [
      { name: "style", enum: ["plain", "conventional commits", "gitmoji"] },
    ],
  },
  {
    slug: "summarize-changes",
    title: "Summarize changes",
    description: "Tells what happened in a repository since a point in time.",
    tags: ["git", "writing"],
    body: `Summarize what changed in {{workspace}} since {{since=yesterday}}, for {{readers=developers}}.

Group it by what it means for them and leave out what means nothing to them. Name the commits that a statement rests on. End with what they should look at or do now, if there is anything. Change no file.`,
    placeholders: [
      { name: "readers", enum: ["developers", "users", "managers"] },
    ],
  },
  {
    slug: "run-tests-and-fix",
    title: "Run the tests and fix failures",
    description: "Runs the tests, fixes what fails, and runs them again.",
    tags: ["tests"],
    body: `Run the tests of {{workspace}} with: {{command=npm test}}

For each failure find out first whether the code or the test is wrong, and say which. Fix the cause, not the symptom: skip no test, loosen no assertion and raise no time limit to make it pass. After each fix run the tests that it touches, and all of them at the end.

Stop and ask if a fix would change what users see. Finish with a list of what failed, why, and what you changed.`,
  },
  {
    slug: "standup-update",
    title: "Standup update",
    description: "What was done, what comes next, and what is in the way.",
    tags: ["writing"],
    body: `Write my standup update for {{date}} from the history of {{workspace}}.

Look at my commits and branches since {{since=yesterday}}, and at changes that are not committed yet. Three short lists, each item one line that a colleague from another team understands:

Done:
Next:
In the way:

Also to mention: {{notes=}}

Invent nothing: leave a list empty rather than guess.`,
  },
];

/** The starters: snippets to begin with, ready to be created as they are. */
export const starters: readonly SnippetStarter[] = texts.map(
  ({ placeholders = [], ...text }) => ({
    ...text,
    kind: "prompt",
    placeholders: toPlaceholders(text.body, placeholders),
  }),
);
