/** What stands for the whole of a tool's input in one line, the first that is there. */
const SUBJECTS = [
  "command",
  "file_path",
  "path",
  "pattern",
  "url",
  "query",
  "subject",
  "description",
];

/** A call of a tool as it is shown. */
export function describeCall({
  id,
  name,
  input,
}: {
  id: string;
  name: string;
  input?: unknown;
}): { callId: string; name: string; title: string; input: string } {
  const fields =
    typeof input === "object" && input !== null
      ? (input as Record<string, unknown>)
      : {};
  const subject = SUBJECTS.map((field) => fields[field]).find(
    (value) => typeof value === "string",
  );
  return {
    callId: id,
    name,
    title:
      subject === undefined
        ? name
        : `${name}: ${String(subject).slice(0, 200)}`,
    input: JSON.stringify(input ?? null),
  };
}
