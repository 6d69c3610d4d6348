#include <string>

#include "pollux/echo/echo.h"

namespace pollux::echo {

namespace {

class EchoService final : public Service {
 public:
  ServiceReply execute(const ServiceRequest& request, WriteTxn& txn) override {
    txn.put("last", request.payload);
    return {Code::ok, std::string(request.payload)};
  }
  ServiceReply query(const ServiceRequest& request, ReadTxn&) override {
    return {Code::ok, std::string(request.payload)};
  }
};

}  // namespace

std::unique_ptr<Service> make_service() { return std::make_unique<EchoService>(); }

}  // namespace pollux::echo
