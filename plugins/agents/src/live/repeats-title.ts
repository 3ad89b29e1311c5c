/** Whether the body of a question only repeats its title, as text or as the JSON input of a tool. */
export function repeatsTitle(title: string, body: string): boolean {
  if (body.trim() === "" || body.trim() === title.trim()) return true;
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null) return false;
    return Object.values(value).every((part) => part === title);
  } catch {
    return false;
  }
}
