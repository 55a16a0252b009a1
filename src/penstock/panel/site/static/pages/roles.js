// A user's roles: RabbitMQ's tags.

export const ROLES = [
  ["", "None: messages only"],
  ["management", "Management: sees their own"],
  ["policymaker", "Policymaker: sets policies, too"],
  ["monitoring", "Monitoring: sees all"],
  ["administrator", "Administrator: may do all"],
];

// RabbitMQ gave tags as a text with commas before 3.9, and gives a list since.
export const tagsOf = (row) =>
  Array.isArray(row.tags)
    ? row.tags
    : String(row.tags ?? "")
        .split(",")
        .filter(Boolean);

const isRole = (tag) => ROLES.some(([role]) => role && role === tag);

// The role that a form shows of a user's tags, and the tags with another one: what else there is stays.
export const roleOf = (tags) => tags.find(isRole) ?? "";
export const withRole = (tags, role) =>
  role === roleOf(tags) ? tags : [...tags.filter((tag) => !isRole(tag)), role].filter(Boolean);
