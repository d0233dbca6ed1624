#!/bin/bash
# Puts a Git that knows reftable beside the system's own, which stays as it is:
#   install-git.sh PREFIX
# Afterwards PREFIX/bin/git runs it. It comes from Debian sid, with the C library that it was
# linked with, so that it runs on an older Debian. Debian only, as root; patchelf is installed
# where it is missing. A Git that is there already is kept if it is new enough.
set -euo pipefail

wanted=2.55
prefix=$(mkdir -p "$1" && cd "$1" && pwd)
git=$prefix/bin/git

new_enough() {
  local version
  version=$("$git" --version 2>/dev/null | sed -n 's/^git version \([0-9.]*\).*/\1/p')
  [ -n "$version" ] && dpkg --compare-versions "$version" ge "$wanted"
}

if new_enough; then "$git" --version; exit 0; fi

command -v patchelf >/dev/null || {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq patchelf >/dev/null
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/packages"

# The mirror that this machine's apt uses already, asked for sid, with lists of its own.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1) || true
[ -n "$mirror" ] || { echo "install-git.sh: apt knows no Debian mirror" >&2; exit 2; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring] $mirror sid main" > "$work/sources.list"
apt=(apt-get -qq
  -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$work/packages" && "${apt[@]}" download git libc6 libpcre2-8-0 zlib1g)

rm -rf "$prefix/root"
mkdir -p "$prefix/root" "$prefix/bin"
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$prefix/root"; done

# Both programs load sid's libraries with sid's loader; the system's may be too old for them.
libraries=$(dirname "$(find "$prefix/root/usr/lib" -name libpcre2-8.so.0 | head -n 1)")
loader=$(find "$prefix/root" -name 'ld-linux*.so.*' | head -n 1)
for program in "$prefix/root/usr/bin/git" "$prefix/root/usr/lib/git-core/git"; do
  [ -L "$program" ] || patchelf --set-interpreter "$loader" --set-rpath "$libraries" "$program"
done

cat > "$git" <<WRAPPER
#!/bin/sh
GIT_EXEC_PATH='$prefix/root/usr/lib/git-core' GIT_TEMPLATE_DIR= exec '$prefix/root/usr/bin/git' "\$@"
WRAPPER
chmod +x "$git"

new_enough || {
  echo "install-git.sh: this is older than the wanted $wanted, or does not run:" >&2
  "$git" --version >&2
  exit 1
}
"$git" --version
