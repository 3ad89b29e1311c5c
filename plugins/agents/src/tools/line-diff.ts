/** A line of a difference. */
export interface DiffLine {
  sign: "+" | "-" | " " | "@";
  text: string;
}

/** Pairs of lines above which the whole middle is shown as removed and added, which is quick to find. */
const mostPairs = 1_000_000;

/** Finds which lines of a text were taken away and which were put in. */
export function diffLines(before: string, after: string): DiffLine[] {
  const left = toLines(before);
  const right = toLines(after);
  let head = 0;
  while (
    head < left.length &&
    head < right.length &&
    left[head] === right[head]
  )
    head += 1;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  )
    tail += 1;
  return [
    ...mark(" ", left.slice(0, head)),
    ...diffMiddle(
      left.slice(head, left.length - tail),
      right.slice(head, right.length - tail),
    ),
    ...mark(" ", left.slice(left.length - tail)),
  ];
}

/** Reads a patch that is written already: unified, or with `***` lines between files. */
export function readPatch(patch: string): DiffLine[] {
  return toLines(patch).flatMap((line): DiffLine[] => {
    if (/^(\+\+\+|---|diff |index |new file|deleted file)/.test(line))
      return /^\+\+\+ /.test(line)
        ? [{ sign: "@", text: line.slice(4).replace(/^b\//, "") }]
        : [];
    if (/^(@@|\*\*\* )/.test(line)) {
      const text = line.replace(/^\*\*\* /, "");
      return /^(Begin|End) Patch/.test(text) ? [] : [{ sign: "@", text }];
    }
    const sign = line[0];
    return sign === "+" || sign === "-"
      ? [{ sign, text: line.slice(1) }]
      : [{ sign: " ", text: line.replace(/^ /, "") }];
  });
}

/** Numbers of lines that were put in and taken away. */
export function countChanges(lines: readonly DiffLine[]): {
  added: number;
  removed: number;
} {
  return {
    added: lines.filter(({ sign }) => sign === "+").length,
    removed: lines.filter(({ sign }) => sign === "-").length,
  };
}

/** The longest common lines stay; classic dynamic programming over what differs. */
function diffMiddle(left: string[], right: string[]): DiffLine[] {
  if (left.length * right.length > mostPairs)
    return [...mark("-", left), ...mark("+", right)];
  const width = right.length + 1;
  const common = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const one = left[row];
    const other = right[column];
    if (one !== undefined && one === other) {
      lines.push({ sign: " ", text: one });
      row += 1;
      column += 1;
    } else if (
      one !== undefined &&
      (other === undefined || at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push({ sign: "-", text: one });
      row += 1;
    } else {
      lines.push({ sign: "+", text: other ?? "" });
      column += 1;
    }
  }
  return lines;
}

function mark(sign: DiffLine["sign"], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}

function toLines(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split(/\r?\n/);
}
