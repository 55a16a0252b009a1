// Light, dark, or as the system has it. Loaded before the page is painted, so that it does not flash.

const THEMES = ["auto", "light", "dark"];
const kept = () => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // storage is forbidden: the system decides
  }
};

document.documentElement.dataset.theme = THEMES.includes(kept()) ? kept() : "auto";
