import { expect, test } from "vitest";
import { cronInWords } from "../ui/automations/cronInWords.ts";

test.each([
  ["* * * * *", "Every minute"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["0 * * * *", "At minute 0 of every hour"],
  ["5,35 * * * *", "At minutes 5 and 35 of every hour"],
  ["0 9 * * *", "At 09:00"],
  ["0 9,17 * * *", "At 09:00 and 17:00"],
  ["30 8 * * 1-5", "At 08:30, on Monday to Friday"],
  ["30 8 * * 6,0", "At 08:30, on Saturday and Sunday"],
  [
    "*/15 9-17 * * 1-5",
    "Every 15 minutes from 09:00 to 17:45, on Monday to Friday",
  ],
  ["0 */6 * * *", "At 00:00, 06:00, 12:00 and 18:00"],
  ["0 */2 * * *", "At minute 0 of every 2nd hour"],
  ["0 0 1 * *", "At 00:00, on day 1 of the month"],
  [
    "0 0 1,15 1,7 *",
    "At 00:00, on day 1 and 15 of the month, in January and July",
  ],
  ["0 12 13 * 5", "At 12:00, on day 13 of the month, and on every Friday"],
  ["0 9 * * 0-6", "At 09:00"],
  ["0 9 15 * */1", "At 09:00"],
  ["0 9 30 2 0-6", "At 09:00, in February"],
  ["0 6 * 6-8 *", "At 06:00, in June to August"],
  ["10 1,3,5,7,9 * * *", "At minute 10 of the hours 1, 3, 5, 7 and 9"],
])("%s is described as: %s", (line, words) => {
  expect(cronInWords(line)).toBe(words);
});

test("a line that is none has no words", () => {
  expect(cronInWords("61 * * * *")).toBeUndefined();
  expect(cronInWords("@hourly")).toBeUndefined();
});
