// The page for a person with a browser (services/groupware/web): static files that are part of the program.
// What the page does, it does through WebDAV, CalDAV and CardDAV like any other client.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "http/message.h"

namespace pollux {

struct WebFile {
  std::string_view name, content;
};
std::span<const WebFile> web_files();

/// GET or HEAD of the page ("/", for who asks for HTML) or of one of its files ("/web/NAME"); none if the
/// request is about something else. Needs no login: there is nothing of anybody's in them.
std::optional<HttpResponse> web_page(const HttpRequest& request);

}  // namespace pollux
